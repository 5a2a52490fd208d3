const { join } = require("node:path");
const { TemplatePdf } = require("template-pdf");

/**
 * Makes documents and puts them into a folder, one after another.
 *
 * @param {{ name: string, template: string, values: object }[]} documents
 * @param {string} folder
 * @param {TemplatePdf} [pdfs] without one, the environment says where the service is
 */
async function archiveDocuments(documents, folder, pdfs = new TemplatePdf()) {
  for (const { name, template, values } of documents) {
    await pdfs.generate(template, values).saveTo(join(folder, `${name}.pdf`));
  }
}

module.exports = { archiveDocuments };
