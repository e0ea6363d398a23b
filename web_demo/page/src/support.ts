/** (module (func (result v128) i32.const 0 i8x16.splat)), which only SIMD understands. */
const SIMD = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15,
  11,
]);

/** Returns why this browser cannot run models; null if it can. */
export function whyNot(): string | null {
  if (typeof WebAssembly === "undefined") {
    return "This browser does not run WebAssembly, or its settings forbid it: use another one.";
  }
  if (!WebAssembly.validate(SIMD)) {
    return "This browser's WebAssembly has no SIMD, which the models need: use a newer one.";
  }
  return null;
}
