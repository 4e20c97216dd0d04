@ Reset code of the image: vectors, stack, data, bss; then main(). Exceptions end in a panic.
  .syntax unified
  .arm

  .section .vectors, "ax"
  .global image_entry
  .type image_entry, %function
image_entry:
  ldr pc, =reset
  ldr pc, =undefined
  ldr pc, =supervisor
  ldr pc, =prefetch
  ldr pc, =data
  nop                       @ reserved: calls from outside return here (memory_map.h)
  ldr pc, =interrupt
  ldr pc, =interrupt
  .ltorg

  .text
  .type reset, %function
reset:
  cpsid if, #0x1f           @ System mode; interrupts stay masked: they end WFI all the same
  mrc p15, 0, r0, c1, c0, 0
  orr r0, r0, #2            @ SCTLR.A: an access that is not aligned ends in a data abort
  mcr p15, 0, r0, c1, c0, 0
  ldr sp, =stack_top
  ldr r0, =data_load
  ldr r1, =data_begin
  ldr r2, =data_end
1:
  cmp r1, r2
  ldrlo r3, [r0], #4
  strlo r3, [r1], #4
  blo 1b
  ldr r1, =bss_begin
  ldr r2, =bss_end
  mov r3, #0
2:
  cmp r1, r2
  strlo r3, [r1], #4
  blo 2b
  ldr r4, =init_begin
  ldr r5, =init_end
3:
  cmp r4, r5
  bhs 4f
  ldr r0, [r4], #4
  blx r0
  b 3b
4:
  ldr r0, =main
  blx r0
5:
  b 5b

  .macro exception name, text
  .type \name, %function
\name:
  cpsid if, #0x1f
  ldr sp, =stack_top        @ what was on it is lost; the debugger still has the banked link register
  ldr r0, =\name\()_text
  ldr r1, =image_exception
  blx r1
  .section .rodata
\name\()_text:
  .asciz "\text"
  .text
  .endm

  exception undefined, "undefined instruction"
  exception supervisor, "supervisor call, of which there are none"
  exception prefetch, "prefetch abort"
  exception data, "data abort"
  exception interrupt, "interrupt taken, though all are masked"
  .ltorg
