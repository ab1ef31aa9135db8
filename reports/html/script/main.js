// Starts the page.

import { App } from "./app.js";

const root = document.getElementById("app");
if (root) new App(root);
