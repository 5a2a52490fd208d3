// For workerd: receives the settings in a request, and returns the results in the response.
import { runSmoke } from "../smoke/run.mjs";

export default {
  async fetch(request) {
    return Response.json(await runSmoke(await request.json()));
  },
};
