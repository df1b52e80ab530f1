import { createServer, type Server } from "node:net";
import { TestbedError } from "./errors.ts";

/**
 * Different ports of 127.0.0.1 that are free at this moment. All are held until all are found; another process may take
 * one before it is used, which shows as an "address already in use" of the program that gets it.
 */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => hold(0)));
  const ports = servers.map(portOf);
  await Promise.all(servers.map(release));
  return ports;
}

/** @throws {TestbedError} when the port cannot be listened on. */
export async function assertFreePort(port: number): Promise<void> {
  let server: Server;
  try {
    server = await hold(port);
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new TestbedError(`Port ${port} on 127.0.0.1 cannot be used (${reason}). Choose another one.`, { cause });
  }
  await release(server);
}

function hold(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port }, () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a TCP server has a port");
  return address.port;
}

function release(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
