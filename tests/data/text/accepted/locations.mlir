// Every way to say where an op comes from. Only what has a scope is kept.
#file = #cuda_tile.di_file<"kernel.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#function = #cuda_tile.di_subprogram<
  file = #file, line = 3, name = "kernel", linkageName = "k",
  compileUnit = #unit, scopeLine = 4
>
#block = #cuda_tile.di_lexical_block<scope = #function, file = #file, line = 5, column = 2>
#here = loc("/src/kernel.py":7:8)
cuda_tile.module @kernels {
  entry @k(%n: tile<i32> loc(unknown)) {
    %0 = addi %n, %n : tile<i32> loc(#scoped)
    %1 = addi %n, %0 : tile<i32> loc(#cuda_tile.di_loc<loc("/src/kernel.py":9:1) in #block>)
    %2 = addi %n, %1 : tile<i32> loc(callsite(#scoped at #cuda_tile.di_loc<#here in #function>))
    %3 = addi %n, %2 : tile<i32> loc("named"(#scoped))
    %4 = addi %n, %3 : tile<i32> loc(fused<"why">[unknown, #scoped])
    %5 = addi %n, %4 : tile<i32> loc("/src/kernel.py":1:2)
    %6 = addi %n, %5 : tile<i32> loc("only a name")
    return loc(unknown)
  } loc(#scoped)
} loc(#here)
#scoped = #cuda_tile.di_loc<#here in #function>
