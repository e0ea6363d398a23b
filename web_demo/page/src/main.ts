import { AskPanel } from "./ask-panel.js";
import { ClassifyPanel } from "./classify-panel.js";
import { element } from "./element.js";
import { EntitiesPanel } from "./entities-panel.js";
import { ModelClient } from "./model-client.js";
import { fetchModels } from "./model-list.js";
import { forgetOtherModels, keepForOffline } from "./offline.js";
import { SearchPanel } from "./search-panel.js";
import { whyNot } from "./support.js";
import { Tabs } from "./tabs.js";

const PANELS = [AskPanel, SearchPanel, ClassifyPanel, EntitiesPanel];

async function start(): Promise<HTMLElement> {
  const reason = whyNot();
  if (reason !== null) throw new Error(reason);
  if (await keepForOffline()) {
    const footer = document.querySelector("footer")!;
    footer.append(" It works without a network once a model has run.");
  }
  const models = await fetchModels();
  forgetOtherModels(models);
  const client = new ModelClient();
  const panels = PANELS.map((Panel) => new Panel(client, models));
  const tabs = panels.map((panel) => ({
    id: panel.face.id,
    name: panel.face.name,
    root: panel.root,
    isUsable: panel.hasModel,
    open: () => panel.open(),
  }));
  return new Tabs("What the models do", tabs).root;
}

const main = document.querySelector("main")!;
try {
  main.replaceChildren(await start());
} catch (error) {
  const sentence = error instanceof Error ? error.message : String(error);
  main.replaceChildren(element("p", { class: "alert", role: "alert" }, sentence));
}
