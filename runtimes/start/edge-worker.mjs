// workerd: the settings come in a request, and the results leave in its answer.
import { runSmoke } from "../smoke/run.mjs";

export default {
  async fetch(request) {
    return Response.json(await runSmoke(await request.json()));
  },
};
