// A server with a page whose button downloads an invoice: npm install, npm start.
// It reads TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY. PORT is 3000 by default.
import express from "express";
import { nodeListener } from "template-pdf/handler/node";
import { documents } from "./documents.js";
import { beginSession } from "./session.js";

const app = express();
// Must come before express.json() and other body parsers, which consume the body.
app.use("/api/pdf", nodeListener(documents));
app.use(beginSession, express.static(`${import.meta.dirname}/public`));

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", (error) => {
  if (error) throw error;
  console.log(`http://127.0.0.1:${server.address().port}/`);
});
