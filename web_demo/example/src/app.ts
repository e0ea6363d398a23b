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
      for (const [name, values] of Object.entries(inputs)) {
        tensors[name] = new Tensor(values, [1, values.length]);
      }
      const outputs = await model.run(signature, tensors);
      const values: Record<string, Float32Array> = {};
      for (const [name, tensor] of Object.entries(outputs)) {
        values[name] = Float32Array.from(tensor.toTypedArray());
      }
      // Tensors lie in WebAssembly's memory, which no garbage collector frees.
      for (const tensor of [...Object.values(tensors), ...Object.values(outputs)]) tensor.delete();
      return values;
    },
  };
  return new QuestionAnswerer(files, runner);
}

const form = document.querySelector("form")!;
const output = form.querySelector("output")!;

function fail(error: unknown): void {
  // The message of a ModelError is a sentence for the user.
  output.value = error instanceof ModelError ? error.message : "This browser cannot run the model.";
}

try {
  const answerer = await load();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = new FormData(form);
    const [question, passage] = [`${fields.get("question")}`, `${fields.get("passage")}`];
    try {
      const { best } = await answerer.answer(question, passage);
      output.value = best?.text ?? "The passage does not answer this question.";
    } catch (error) {
      fail(error);
    }
  });
  form.querySelector("button")!.disabled = false;
  output.value = "";
} catch (error) {
  fail(error);
}
