import { LiteRtRunner } from "../src/litert-runner.js";

/** What latency.measure.ts calls in the browser. */
export interface Measuring {
  /** Loads a file; returns what runs it. */
  load(address: string): Promise<{ readonly backend: string; readonly threads: number }>;
  /** Returns how long each of some runs took, in milliseconds. */
  run(count: number, length: number): Promise<number[]>;
}

let runner: LiteRtRunner;

const measuring: Measuring = {
  async load(address) {
    const content = new Uint8Array(await (await fetch(address)).arrayBuffer());
    runner = await LiteRtRunner.load(content, document.baseURI);
    const { backend, threads } = runner;
    return { backend, threads };
  },
  async run(count, length) {
    const ids = Int32Array.from({ length }, (_, place) => 1000 + place);
    const inputs = {
      ids,
      mask: new Int32Array(length).fill(1),
      segment_ids: new Int32Array(length),
    };
    const times: number[] = [];
    for (let number = 0; number < count; number++) {
      const start = performance.now();
      await runner.run("serving_default", inputs);
      times.push(performance.now() - start);
    }
    return times;
  },
};

Object.assign(globalThis, { measuring });
