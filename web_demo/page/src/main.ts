import { ClassifyPanel } from "./classify-panel.js";
import { ModelClient } from "./model-client.js";

const panel = new ClassifyPanel(new ModelClient());
document.querySelector("#panel")!.append(panel.root);
await panel.load("models/text_classification");
