import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { toError } from '@calls/foundation/errors';
import { closeServer } from '@calls/foundation/listen';
import { WebSocketServer } from 'ws';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';
import { controlValidator, WELL, type Settings } from './behaviour.ts';
import { API_VERSIONS } from './api-versions.ts';
import type { ListenReport, SeenStream } from './listen-log.ts';
import type { Recognise } from './provider-stream.ts';

/** Serves Deepgram's live API at `/v1/listen` and `/v2/listen`, and `/control` and `/report` for tests. */
export async function listen(options: {
  apiKey: string;
  recognise: Recognise;
}): Promise<AsyncDisposable & { port: number }> {
  let settings: Settings = WELL;
  let report: ListenReport = { streams: [], refused: 0 };
  let misbehaved = 0;

  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await text(request);
      if (request.url === '/control') {
        settings = { ...WELL, ...controlValidator.parse(JSON.parse(body)) };
        misbehaved = 0;
        report = { streams: [], refused: 0 };
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(report));
    };
    answer().catch((thrown: unknown) => response.writeHead(422).end(toError(thrown).message));
  });
  const sockets = new WebSocketServer({ noServer: true });

  const settingsOfNext = (): Settings => {
    misbehaved += 1;
    return misbehaved > settings.connections ? { ...settings, behaviour: 'ok' } : settings;
  };
  const open = (request: IncomingMessage, socket: Duplex, head: Buffer, its: Settings): void => {
    const log = report;
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://stand-in');
      const seen: SeenStream = {
        query: Object.fromEntries(searchParams),
        keyTerms: searchParams.getAll('keyterm'),
        keywords: searchParams.getAll('keywords'),
        authorization: request.headers.authorization ?? null,
        controls: [],
        audioMs: 0,
        largestMessageBytes: 0,
        isOpen: true,
        closeCode: null,
      };
      log.streams.push(seen);
      const { recognise } = options;
      API_VERSIONS.get(pathname)?.open({ socket: opened, settings: its, seen, recognise });
    });
  };
  server.on('upgrade', (request, socket, head) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stand-in');
    const its = settingsOfNext();
    const refuse = (status: number, code: string, message: string): void => {
      report.refused += 1;
      const content = JSON.stringify({ err_code: code, err_msg: message, request_id: 'of-the-stand-in' });
      socket.end(
        `HTTP/1.1 ${status} Refused\r\nretry-after: 5\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(content)}\r\nconnection: close\r\n\r\n${content}`,
      );
    };
    const version = API_VERSIONS.get(pathname);
    const problem = version?.problemOf(searchParams) ?? null;
    if (!version) refuse(404, 'NOT_FOUND', 'Not found.');
    else if (request.headers.authorization !== `Token ${options.apiKey}`)
      refuse(401, 'INVALID_AUTH', 'Invalid credentials.');
    else if (problem !== null) refuse(400, 'Bad Request', problem);
    else if (its.behaviour === 'refuse_status')
      refuse(its.errorStatus, 'TOO_MANY_REQUESTS', 'The stand-in is configured to refuse.');
    else if (its.behaviour === 'refuse') socket.destroy();
    else if (its.behaviour === 'slow_start') setTimeout(() => open(request, socket, head, its), its.slowMs);
    else open(request, socket, head, its);
  });
  return {
    port: await listenOnLoopback(server),
    [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate();
      return closeServer(server);
    },
  };
}
