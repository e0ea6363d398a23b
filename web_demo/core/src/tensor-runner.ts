import type { InputTensors } from "./model-input.js";

/** Runs a model; the interface to a runtime such as LiteRT.js. */
export interface TensorRunner {
  /**
   * Runs one row.
   *
   * @param signature the name of one of the model's signatures.
   * @param inputs the inputs by name, each as long as the signature.
   * @returns the flattened outputs by name.
   */
  run(signature: string, inputs: InputTensors): Promise<Readonly<Record<string, Float32Array>>>;
}
