import { MockAgent } from "undici";

export const agent = new MockAgent();
export const requests = [];

export function start() {
  agent.disableNetConnect();
}

export function answer(status, contentType, body) {
  agent
    .get(process.env.TEMPLATE_PDF_BASE_URL)
    .intercept({ path: "/api/v1/templates/inv_2024/generate-sync", method: "POST" })
    .reply((request) => {
      requests.push({
        method: request.method,
        path: request.path,
        authorization: request.headers.authorization,
        contentType: request.headers["content-type"],
        body: JSON.parse(request.body),
      });
      return {
        statusCode: status,
        data: body,
        responseOptions: { headers: { "content-type": contentType } },
      };
    });
}

export async function stop() {
  await agent.close();
}
