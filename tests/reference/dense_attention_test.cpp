#include <gtest/gtest.h>
#include "reference/dense_attention.h"
#include <ATen/ops/randn.h>
#include <chrono>
#include <cstdio>
TEST(X, Speed) {
  using namespace attncheck::reference;
  Inputs in;
  in.q = at::randn({1,16,4,8}, at::kDouble); in.k=at::randn({1,16,4,8}, at::kDouble); in.v=at::randn({1,16,4,8}, at::kDouble);
  in.scale=0.35;
  auto dout=at::randn({1,16,4,8}, at::kDouble), dlse=at::randn({1,16,4}, at::kDouble);
  for(int k=0;k<3;++k){
  auto t=std::chrono::steady_clock::now();
  for(int i=0;i<1000;++i){forward(in);}
  auto t1=std::chrono::steady_clock::now();
  for(int i=0;i<1000;++i){vjp(in,dout,dlse);}
  auto t2=std::chrono::steady_clock::now();
  printf("%f %f\n", std::chrono::duration<double>(t1-t).count()*1000,std::chrono::duration<double>(t2-t1).count()*1000);}
}
