import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toError } from '@calls/foundation/errors';
import { ValidationError } from '@calls/foundation/schema/validator';
import { changedSettings, standInControl, type Role, type StandInSettings } from './behaviour.ts';
import type { ChatReply } from './chat-reply.ts';
import { handleChat } from './chat.ts';
import { handleEmbeddings } from './embeddings.ts';
import { BadRequest, parseJson, readBody, ServedExchange } from './exchange.ts';
import { Replies } from './replies.ts';
import { RequestLog } from './request-log.ts';
import { handleRerank } from './rerank.ts';
import { handleSpeech } from './speech.ts';
import { handleTranscription } from './transcription.ts';

const ROLE_OF_PATH: Readonly<Record<string, Role>> = {
  '/v1/audio/transcriptions': 'stt',
  '/v1/chat/completions': 'llm',
  '/v1/audio/speech': 'tts',
  '/v1/embeddings': 'embeddings',
  '/v1/rerank': 'rerank',
};

export interface StandInServer extends AsyncDisposable {
  readonly port: number;
}

/** Serves the protocols of OpenAI and Jina for the AI roles on one port, with configurable delays and errors. */
export async function listen(options: {
  port: number;
  settings: StandInSettings;
  /** Required bearer token; null: none. */
  apiKey: string | null;
  /** Signed 16-bit PCM at 24 kHz. */
  recording: Buffer;
}): Promise<StandInServer> {
  const log = new RequestLog();
  const replies = { stt: new Replies<string>(), llm: new Replies<ChatReply>() };
  let settings = options.settings;
  let connections = 0;
  let openConnections = 0;

  const serveRole = async (role: Role, exchange: ServedExchange): Promise<void> => {
    const { behaviour, errorStatus, slowMs } = settings[role];
    if (options.apiKey !== null && exchange.summary.authorization !== `Bearer ${options.apiKey}`) {
      exchange.json(401, errorBody('Incorrect API key provided', 'invalid_request_error'));
      return;
    }
    if (behaviour === 'never') return exchange.hold();
    if (behaviour === 'refuse') {
      exchange.breakConnection();
      return;
    }
    if (behaviour === 'error') {
      exchange.json(errorStatus, errorBody('The stand-in is configured to fail.', 'server_error'));
      return;
    }
    if (behaviour === 'slow') await exchange.wait(slowMs);
    switch (role) {
      case 'stt':
        return handleTranscription(exchange, settings.stt, replies.stt);
      case 'llm':
        return handleChat(exchange, settings.llm, replies.llm);
      case 'tts':
        return handleSpeech(exchange, settings.tts, options.recording);
      case 'embeddings':
        return handleEmbeddings(exchange, settings.embeddings);
      case 'rerank':
        return handleRerank(exchange, settings.rerank);
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const role = request.method === 'POST' ? ROLE_OF_PATH[request.url ?? ''] : undefined;
    if (role !== undefined) {
      const authorization = request.headers.authorization ?? null;
      const summary = log.add({ role, requestBytes: body.length, authorization });
      await serveRole(role, new ServedExchange(request, response, body, log, summary));
      return;
    }
    switch (`${request.method ?? ''} ${request.url ?? ''}`) {
      case 'POST /control': {
        const control = standInControl.parse(parseJson(body));
        settings = changedSettings(settings, control);
        if (control.forgetRequests === true) log.forget();
        sendJson(response, 200, settings);
        return;
      }
      case 'POST /requests': {
        sendJson(response, 200, log.report({ connections, openConnections }));
        return;
      }
      case 'GET /healthz': {
        sendJson(response, 200, { ok: true });
        return;
      }
      default: {
        sendJson(response, 404, errorBody('no such path', 'invalid_request_error'));
        return;
      }
    }
  };

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    serve(request, response).catch((thrown: unknown) => answerError(response, thrown));
  });
  server.on('connection', (socket) => {
    connections += 1;
    openConnections += 1;
    socket.on('close', () => (openConnections -= 1));
  });
  const port = await bind(server, options.port);
  return {
    port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', 1024, () => resolve((server.address() as AddressInfo).port));
  });
}

function answerError(response: ServerResponse, thrown: unknown): void {
  // A disconnected client needs no response; a started response can only be aborted.
  if (response.destroyed || response.headersSent) {
    response.destroy();
    return;
  }
  const isClients = thrown instanceof BadRequest || thrown instanceof ValidationError;
  const message = toError(thrown).message;
  sendJson(
    response,
    isClients ? 400 : 500,
    errorBody(message, isClients ? 'invalid_request_error' : 'server_error'),
  );
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function errorBody(message: string, type: string): object {
  return { error: { message, type, param: null, code: null } };
}
