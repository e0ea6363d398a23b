import { loadAndCompile, loadLiteRt, Tensor } from "@litertjs/core";
import {
  filesAt,
  ModelError,
  QuestionAnswerer,
  readModel,
  readModelFiles,
  type TensorRunner,
} from "mobilebert-core";

/** Loads LiteRT.js from litert/, and the files of the model from model/. */
async function load(): Promise<QuestionAnswerer> {
  const open = filesAt("model/");
  const files = await readModelFiles(open);
  const content = await readModel(open, files.spec);
  await loadLiteRt("litert/");
  const model = await loadAndCompile(content, { accelerator: "wasm" });
  const runner: TensorRunner = {
    async run(signature, inputs) {
      const tensors: Record<string, Tensor> = {};
      let outputs: Record<string, Tensor> = {};
      try {
        for (const [name, values] of Object.entries(inputs)) {
          tensors[name] = new Tensor(values, [1, values.length]);
        }
        outputs = await model.run(signature, tensors);
        const values: Record<string, Float32Array> = {};
        for (const [name, tensor] of Object.entries(outputs)) {
          values[name] = Float32Array.from(tensor.toTypedArray());
        }
        return values;
      } finally {
        // Tensors lie in WebAssembly's memory, which no garbage collector frees.
        for (const tensor of Object.values(tensors)) tensor.delete();
        for (const tensor of Object.values(outputs)) tensor.delete();
      }
    },
  };
  return new QuestionAnswerer(files, runner);
}

const form = document.querySelector("form")!;
const button = form.querySelector("button")!;
const output = form.querySelector("output")!;

function fail(error: unknown): void {
  // The message of a ModelError is a sentence for the user.
  output.value = error instanceof ModelError ? error.message : "This browser cannot run the model.";
}

try {
  const answerer = await load();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    // An answer that comes late would stand below a newer question.
    button.disabled = true;
    const data = new FormData(form);
    try {
      const { best } = await answerer.answer(`${data.get("question")}`, `${data.get("passage")}`);
      output.value = best?.text ?? "The passage does not answer this question.";
    } catch (error) {
      fail(error);
    }
    button.disabled = false;
  });
  button.disabled = false;
  output.value = "";
} catch (error) {
  fail(error);
}
