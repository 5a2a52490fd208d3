import { render } from "preact";
import { App } from "./app.tsx";
import "./style.css";
import "./document.css";
import "./tables.css";

render(<App />, document.body);
