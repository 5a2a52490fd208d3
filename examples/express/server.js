// A server whose page has a button that makes an invoice: npm install, npm start.
// It asks the service at TEMPLATE_PDF_BASE_URL, with the key in TEMPLATE_PDF_API_KEY; PORT is 3000 where it is not set.
import express from "express";
import { nodeListener } from "template-pdf/handler/node";
import { documents } from "./documents.js";
import { beginSession } from "./session.js";

const app = express();
// Before express.json() and other body parsers, which would take the body away.
app.use("/api/pdf", nodeListener(documents));
app.use(beginSession, express.static(`${import.meta.dirname}/public`));

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", (error) => {
  if (error) throw error;
  console.log(`http://127.0.0.1:${server.address().port}/`);
});
