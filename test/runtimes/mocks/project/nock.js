import nock from "nock";

export const requests = [];

export function start() {
  nock.disableNetConnect();
}

export function answer(status, contentType, body) {
  nock(process.env.TEMPLATE_PDF_BASE_URL)
    .post("/api/v1/templates/inv_2024/generate-sync")
    .reply(function (path, sent) {
      requests.push({
        method: this.req.method,
        path,
        authorization: this.req.headers.authorization,
        contentType: this.req.headers["content-type"],
        body: sent,
      });
      return [status, body, { "content-type": contentType }];
    });
}

export function stop() {
  nock.enableNetConnect();
  nock.restore();
}
