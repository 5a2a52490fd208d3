// TEMPLATE_PDF_BASE_URL=… TEMPLATE_PDF_API_KEY=… node src/main.js documents.json archive
const { readFileSync } = require("node:fs");
const { archiveDocuments } = require("./archive-documents.js");

async function main([list, folder]) {
  const documents = JSON.parse(readFileSync(list, "utf8"));
  await archiveDocuments(documents, folder);
  console.log(`${documents.length} documents in ${folder}`);
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
