import { ApiError, AuthenticationError, BadRequestError, ConnectionError, ServerError } from "template-pdf";
import { equal, holds, rejectionOf } from "./expect.mjs";

const byStatus = [
  [401, AuthenticationError, "authentication_failed"],
  [418, ApiError, "api_error"],
  [422, BadRequestError, "bad_request"],
  [503, ServerError, "server_error"],
];

export const errors = {
  "every error response rejects with the class of its status, and contains no secret": async (stage) => {
    for (const [status, kind, code] of byStatus) {
      const uid = await stage.template(String(status));
      const error = await rejectionOf(stage.client().generate(uid, stage.values).bytes());
      holds(kind.is(error) && error instanceof kind && ApiError.is(error), `It has another class: ${error}`);
      equal([error.status, error.code, error.attempts], [status, code, 1], "status, code, attempts");
      equal(typeof error.body?.title, "string", "the title in the body");
      containsNoSecret(error, stage);
    }
  },

  "a refused connection rejects with a ConnectionError": async (stage) => {
    const client = stage.client({ baseUrl: stage.unserved, apiKey: null });
    const error = await rejectionOf(client.generate("invoice", stage.values).bytes());
    holds(ConnectionError.is(error), `Not a ConnectionError: ${error}`);
    equal([error.code, error.attempts], ["connection_failed", 1], "code and attempts");
    containsNoSecret(error, stage);
  },
};

/** Throws if an error contains the key or a value. */
function containsNoSecret(error, stage) {
  const shown = `${error.message}\n${error.stack}\n${JSON.stringify(error)}`;
  for (const secret of [stage.key, stage.values.total])
    holds(!shown.includes(secret), `It contains a secret: ${error.message}`);
}
