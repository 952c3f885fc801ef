" Syntax of Probity's mechanism files (.dp).
if exists("b:current_syntax")
  finish
endif

syntax keyword dpControl if then else for in while return append
syntax keyword dpDeclaration mechanism param where let
syntax keyword dpClaim neighbours neighbors claim expect refuted proof
syntax keyword dpWord and or not mod
syntax keyword dpBoolean true false
syntax keyword dpFormat binary64 binary32 binary16
syntax match dpProof /^\s*\%(couple\|invariant\|pointwise\)\>/
syntax match dpType /:\s*\zs\%(real\|int\|bool\|category\|rows\)\>/
syntax match dpFunction /\<\%(abs\|min\|max\|clamp\|floor\|round_to\|pow2_at_least\|ln\|exp\|length\|count\|sum\|sqrt\|argmax\|apart\|moved\|changed\)\ze(/
syntax match dpDistribution /\~\s*\zs\%(uniform\|sign\|bernoulli\|uniform_int\|uniform_other\|response\|choose\|permute_and_flip\|sample\|laplace\|discrete_laplace\|gaussian\|discrete_gaussian\|gumbel\|exponential\|geometric\)\>/
syntax match dpNumber /\<\d\+\%(\.\d\+\)\?\%([eE][+-]\?\d\+\)\?\>/
syntax match dpPrimed /\<\h\w*'/
syntax match dpOperator /==\|!=\|<=\|>=\|\.\.\|[=<>+*~-]\|\/\ze[^\/]/
syntax match dpComment /\/\/.*$/

highlight default link dpControl Statement
highlight default link dpDeclaration Keyword
highlight default link dpClaim PreProc
highlight default link dpWord Operator
highlight default link dpBoolean Boolean
highlight default link dpFormat Type
highlight default link dpProof PreProc
highlight default link dpType Type
highlight default link dpFunction Function
highlight default link dpDistribution Special
highlight default link dpNumber Number
highlight default link dpPrimed Identifier
highlight default link dpOperator Operator
highlight default link dpComment Comment

setlocal commentstring=//\ %s
let b:current_syntax = "dp"
