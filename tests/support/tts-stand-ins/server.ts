import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { toError } from '@calls/foundation/errors';
import { closeServer } from '@calls/foundation/listen';
import { ValidationError } from '@calls/foundation/schema/validator';
import { WebSocketServer } from 'ws';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';
import { controlValidator, WELL, type Settings } from './behaviour.ts';
import { readForm } from './cloning.ts';
import { generic } from './generic.ts';
import { elevenLabs, elevenLabsCloning, elevenLabsStreamInput } from './elevenlabs.ts';
import { cartesia, cartesiaCloning } from './cartesia.ts';
import { lmnt } from './lmnt.ts';
import { listenGoogleCloud } from './google-cloud.ts';
import { inworld, inworldStream } from './inworld.ts';
import { respeecher } from './respeecher.ts';
import { playHt } from './playht.ts';
import { RequestLog } from './request-log.ts';
import { HttpExchange, type HttpStandIn, type SocketStandIn, type StandInDeps } from './stand-in.ts';

const OVER_HTTP: readonly HttpStandIn[] = [
  elevenLabs,
  elevenLabsCloning,
  cartesia,
  cartesiaCloning,
  lmnt,
  inworldStream,
  playHt,
  generic,
];
const OVER_SOCKETS: readonly SocketStandIn[] = [elevenLabsStreamInput, inworld, respeecher];

export interface StandInServers extends AsyncDisposable {
  httpPort: number;
  grpcPort: number;
}

/** Serves all providers in one process: HTTP and WebSocket on one port, gRPC on another. */
export async function listen(options: { apiKey: string; publicKeyPem: string }): Promise<StandInServers> {
  const log = new RequestLog();
  let settings: Settings = WELL;
  const deps: StandInDeps = { apiKey: options.apiKey, settings: () => settings, log };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', 'http://stand-in');
    const body = await readBody(request);
    if (url.pathname === '/control') {
      settings = { ...WELL, ...controlValidator.parse(body) };
      log.forget();
      sendJson(response, 200, settings);
      return;
    }
    if (url.pathname === '/requests') {
      sendJson(response, 200, log.report());
      return;
    }
    const standIn = OVER_HTTP.find(({ path }) => path.test(url.pathname));
    if (!standIn || request.method !== 'POST') {
      sendJson(response, 404, { detail: 'Not Found' });
      return;
    }
    const refusal = standIn.refusal(request, deps);
    if (refusal) {
      sendJson(response, refusal.status, refusal.body);
      return;
    }
    const { provider } = standIn;
    const headers = request.headers as Record<string, string | undefined>;
    const seen = log.add({ provider, path: request.url ?? '', headers, asked: body });
    await standIn.serve(new HttpExchange(url, body, seen, response), deps);
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((thrown: unknown) => {
      if (response.headersSent) response.destroy();
      else
        sendJson(response, thrown instanceof ValidationError ? 422 : 500, { error: toError(thrown).message });
    });
  });
  server.on('connection', (socket) => socket.on('close', log.connected()));
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const { pathname } = new URL(request.url ?? '', 'http://stand-in');
    const standIn = OVER_SOCKETS.find(({ path }) => path.test(pathname));
    const refusal = standIn ? standIn.refusal(request, deps) : { status: 404, body: { detail: 'Not Found' } };
    if (!standIn || refusal) {
      const text = JSON.stringify(refusal?.body);
      socket.end(
        `HTTP/1.1 ${refusal?.status ?? 404} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
      );
      return;
    }
    if (settings.behaviour === 'refuse') {
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => standIn.serve(opened, request, deps));
  });
  const httpPort = await listenOnLoopback(server);
  const grpc = await listenGoogleCloud(deps, options.publicKeyPem);
  return {
    httpPort,
    grpcPort: grpc.port,
    [Symbol.asyncDispose]() {
      grpc.server.forceShutdown();
      for (const socket of sockets.clients) socket.terminate();
      return closeServer(server);
    },
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await buffer(request);
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('multipart/form-data')) return readForm(bytes, contentType);
  return bytes.length === 0 ? undefined : JSON.parse(bytes.toString('utf8'));
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
