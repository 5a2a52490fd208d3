export { playOnServer } from "../../service/faults/play-on-socket.ts";
export { listen } from "../../service/listen.ts";
