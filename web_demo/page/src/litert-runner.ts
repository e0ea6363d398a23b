import {
  type CompiledModel,
  type LiteRt,
  loadAndCompile,
  loadLiteRt,
  supportsFeature,
  Tensor,
} from "@litertjs/core";
import { type InputTensors, ModelError, type TensorRunner } from "mobilebert-core";

/** Where LiteRT.js's files are, below the page; vite.config.ts puts them there. */
declare const LITERT_FOLDER: string;

/** What LiteRT.js's variants are, by the WebAssembly that each of them asks for. */
const VARIANTS: Readonly<Record<string, string>> = {
  "litert_wasm_internal.wasm": "WebAssembly, relaxed SIMD",
  "litert_wasm_compat_internal.wasm": "WebAssembly, SIMD",
  "litert_wasm_threaded_internal.wasm": "WebAssembly, relaxed SIMD, threads",
};

/** Runs a .tflite file with LiteRT.js, in a worker. */
export class LiteRtRunner implements TensorRunner {
  private constructor(
    private readonly model: CompiledModel,
    /** What runs the model, as the runtime says. */
    readonly backend: string,
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
      throw new ModelError(`model.tflite is no file that this page can run: ${reason(error)}.`, {
        cause: error,
      });
    }
    return new LiteRtRunner(model, VARIANTS[loaded] ?? loaded, liteRtWasm.getThreadCount());
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
    } catch (error) {
      throw new ModelError(`The model did not run: ${reason(error)}.`, { cause: error });
    } finally {
      for (const tensor of [...Object.values(tensors), ...Object.values(outputs)]) tensor.delete();
    }
  }

  close(): void {
    this.model.delete();
  }
}

let started: Promise<LiteRt> | null = null;
// The name of the WebAssembly that LiteRT.js asked for.
let loaded = "";

/** Starts LiteRT.js, once. Its scripts look for their WebAssembly with `Module.locateFile`. */
function runtime(page: string): Promise<LiteRt> {
  started ??= start(new URL(LITERT_FOLDER, page).href).catch((error) => {
    started = null;
    throw new ModelError(`This browser cannot run models: ${reason(error)}.`, { cause: error });
  });
  return started;
}

async function start(files: string): Promise<LiteRt> {
  const locateFile = (name: string): string => {
    if (name.endsWith(".wasm")) loaded = name;
    return files + name;
  };
  // Each thread is a worker that starts with this script, and not with the page's.
  const mainScriptUrlOrBlob = `${files}litert_wasm_threaded_internal.js`;
  Object.assign(globalThis, { Module: { locateFile, mainScriptUrlOrBlob } });
  // Threads share memory, which browsers allow where the host isolates the page.
  const threads = globalThis.crossOriginIsolated && (await supportsFeature("relaxedSimd"));
  return loadLiteRt(files, { threads });
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\.$/, "");
}
