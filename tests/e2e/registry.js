// A registry on loopback that knows one package: what npm, Bun and opencode ask to install it by its name.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

/**
 * Serves the packed `tarball` of a package with this `manifest`, as the only version and the latest. `requests` holds
 * the paths that were asked for, `url` is the registry's address.
 */
export async function startRegistry({ manifest, tarball }) {
  const bytes = await readFile(tarball);
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    const found = answers[decodeURIComponent(request.url)];
    if (!found) response.writeHead(404).end("{}");
    else response.writeHead(200, { "content-type": found.type }).end(found.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/`;
  const path = `/${manifest.name}/-/${manifest.name}-${manifest.version}.tgz`;
  const answers = {
    [`/${manifest.name}`]: {
      type: "application/json",
      body: JSON.stringify(packument(manifest, new URL(path, url).href, bytes)),
    },
    [path]: { type: "application/octet-stream", body: bytes },
  };
  return {
    url,
    requests,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function packument(manifest, tarball, bytes) {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const shasum = createHash("sha1").update(bytes).digest("hex");
  return {
    name,
    "dist-tags": { latest: version },
    versions: {
      [version]: { ...manifest, _id: `${name}@${version}`, dist: { tarball, integrity, shasum } },
    },
  };
}
