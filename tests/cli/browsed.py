"""What the tests of pages in a browser share."""

import json
import os
import re
import sys
import tempfile
import unittest

import browser

NO_BROWSER = 77


def data_of(path):
    """What a page of the program was made from."""
    with open(path) as file:
        return json.loads(re.search(r'id="data">(.*?)</script>', file.read(), re.S).group(1))


class BrowsedPages(unittest.TestCase):
    """A folder for pages, and one browser for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def open(self, path, width=1280):
        self.browser.width(width)
        self.browser.open("/dev/null")
        self.browser.complaints()
        self.browser.requests()
        self.browser.open(path)


def program():
    """The first argument, as a path; what is left is unittest's. Ends the script where there is no browser."""
    if not browser.is_here():
        print("no chromium and chromedriver here: nothing was tried")
        sys.exit(NO_BROWSER)
    return os.path.abspath(sys.argv.pop(1))
