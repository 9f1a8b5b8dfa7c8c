// HTTP without kept connections. fetch keeps them for each address, and a server that was killed and started anew
// has the old address: the next request then dies with the old connection.

import { once } from "node:events";
import { request as open } from "node:http";

/** Sends a request, with a JSON body if there is one, and returns `{ status, text }`. */
export async function request(method, url, body) {
  const response = await respond(method, url, { body });
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, text: Buffer.concat(chunks).toString("utf8") };
}

/** Opens a response that goes on until `signal`, and returns it as a stream of text. */
export async function stream(url, signal) {
  const response = await respond("GET", url, { signal });
  return response.setEncoding("utf8");
}

async function respond(method, url, { body, signal }) {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const outgoing = open(url, { method, headers, signal, agent: false });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(outgoing, "response");
  return response;
}
