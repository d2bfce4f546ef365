import { described } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';

export const ENGINE_ROLES = ['speechToText', 'languageModel', 'textToSpeech'] as const;
export const EngineRole = Type.Enum([...ENGINE_ROLES]);
export type EngineRole = Static<typeof EngineRole>;

export const EngineKind = Type.Enum(['embedded', 'local', 'hosted']);
export const EngineUse = Type.Enum(['default', 'fallback', 'choice']);

const EngineHealth = Type.Enum(['ok', 'failing', 'unknown']);
export type EngineHealth = Static<typeof EngineHealth>;

/** What an engine is. The same in the records of workers and in the API. */
export const engineDescription = {
  role: described(EngineRole, 'Role of the engine.'),
  name: Type.String({ description: 'Name of the engine, or of the protocol of its server.' }),
  kind: described(
    EngineKind,
    '`embedded`: ships with this software. `local`: a model of the operator, on the machine. `hosted`: on a server.',
  ),
  model: Nullable(
    Type.String(),
    'Model, as the server names it, cut to 40 bytes. Null for engines without a choice of model.',
  ),
  use: described(
    EngineUse,
    '`default`: calls use it unless they choose another. `fallback`: replaces one before it that fails. `choice`: for calls that choose it, by `model` or `voice`.',
  ),
};

const Latency = Closed(
  {
    p50: Type.Integer({ minimum: 0, description: 'The median.' }),
    p95: Type.Integer({ minimum: 0, description: 'The 95th percentile.' }),
    count: Type.Integer({ minimum: 1, description: 'Number of requests that were measured.' }),
  },
  'EngineLatency',
  'Latencies of the newest successful requests, in milliseconds.',
);

export const Engine = Closed(
  {
    ...engineDescription,
    health: described(
      EngineHealth,
      '`failing`: the last request of a media-worker failed. `unknown`: no call has used it since the workers started.',
    ),
    latencyMs: Type.Optional(
      described(
        Latency,
        'End of speech to transcript, model request to first token, or sentence to first audio. Absent before the first success.',
      ),
    ),
    lastSuccess: Nullable(DateTime, 'When a request last succeeded; null if none did yet.'),
    lastFailure: Nullable(DateTime, 'When a request last failed; null if none did yet.'),
    lastFailureCode: Nullable(
      Type.String(),
      'Why it failed: `unreachable`, `refused`, `malformed`, `timeout`, `cut` or `unavailable`.',
    ),
  },
  'Engine',
  'An engine of this installation, with what its media-workers measured.',
);
export type Engine = Static<typeof Engine>;

export const Engines = Closed(
  {
    mediaWorkers: Type.Integer({
      minimum: 0,
      description: 'Live media-workers that report engines. Without one, `engines` is empty.',
    }),
    engines: Type.Array(Engine, { description: 'Engines by role, in the order in which they are tried.' }),
  },
  'Engines',
  'The engines of this installation.',
);
export type Engines = Static<typeof Engines>;
