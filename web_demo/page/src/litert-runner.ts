import { type CompiledModel, loadAndCompile, loadLiteRt, Tensor } from "@litertjs/core";
import { type InputTensors, ModelError, type TensorRunner } from "mobilebert-core";

/** Where LiteRT.js's files are, below the page. */
const FILES = "litert/";

/** Runs a .tflite file with LiteRT.js, in a worker. */
export class LiteRtRunner implements TensorRunner {
  private constructor(
    private readonly model: CompiledModel,
    /** The number of threads that the runtime has. */
    readonly threads: number,
  ) {}

  /**
   * Loads a model.
   *
   * @param page the address of the page.
   * @throws ModelError if the browser cannot run it, or it is no model.
   */
  static async load(content: Uint8Array, page: string): Promise<LiteRtRunner> {
    const { liteRtWasm } = await runtime(page);
    let model: CompiledModel;
    try {
      model = await loadAndCompile(content, { accelerator: "wasm" });
    } catch (error) {
      throw new ModelError(`model.tflite is no file that this page can run: ${error}.`);
    }
    return new LiteRtRunner(model, liteRtWasm.getThreadCount());
  }

  async run(signature: string, inputs: InputTensors): Promise<Record<string, Float32Array>> {
    const tensors: Record<string, Tensor> = {};
    let outputs: Record<string, Tensor> = {};
    try {
      for (const [name, values] of Object.entries(inputs)) {
        tensors[name] = new Tensor(values, [1, values.length]);
      }
      outputs = await this.model.run(signature, tensors);
      const values: Record<string, Float32Array> = {};
      for (const [name, tensor] of Object.entries(outputs)) {
        values[name] = Float32Array.from(tensor.toTypedArray());
      }
      return values;
    } finally {
      for (const tensor of [...Object.values(tensors), ...Object.values(outputs)]) tensor.delete();
    }
  }

  close(): void {
    this.model.delete();
  }
}

let started: ReturnType<typeof loadLiteRt> | null = null;

/** Starts LiteRT.js, once. Its scripts look for their WebAssembly with `Module.locateFile`. */
function runtime(page: string): ReturnType<typeof loadLiteRt> {
  const files = new URL(FILES, page).href;
  if (started === null) {
    Object.assign(globalThis, { Module: { locateFile: (name: string) => files + name } });
    started = loadLiteRt(files).catch((error) => {
      started = null;
      throw new ModelError(`This browser cannot run models: ${error.message ?? error}.`);
    });
  }
  return started;
}
