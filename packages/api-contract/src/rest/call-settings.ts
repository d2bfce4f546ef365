import { Type, type Static } from 'typebox';
import { DataMessageFlags } from '../data-messages/data-message-flags.ts';
import { Duration } from '../duration.ts';
import { Pattern } from './annotations.ts';
import { Closed, HttpUrl, OneOf } from './common.ts';
import { MessageMediumEnum } from './enums.ts';
import { Secret } from './resource.ts';

export const VadSettings = Closed(
  {
    turnEndpointDelay: Type.Optional(Duration),
    minimumTurnDuration: Type.Optional(Duration),
    minimumInterruptionDuration: Type.Optional(Duration),
    frameActivationThreshold: Type.Optional(Type.Number({ minimum: 0.1, maximum: 1 })),
  },
  'VadSettings',
);
export type VadSettings = Static<typeof VadSettings>;

export const Words = Type.String({ maxLength: 65_536 });

export const AgentGreeting = Closed(
  {
    uninterruptible: Type.Optional(Type.Boolean()),
    text: Type.Optional(Words),
    prompt: Type.Optional(Words),
    delay: Type.Optional(Duration),
  },
  'AgentGreeting',
);

export const FallbackAgentGreeting = Closed(
  {
    delay: Type.Optional(Duration),
    text: Type.Optional(Words),
    prompt: Type.Optional(Words),
  },
  'FallbackAgentGreeting',
);

export const FirstSpeakerSettings = OneOf(
  {
    user: Type.Optional(Closed({ fallback: Type.Optional(FallbackAgentGreeting) }, 'UserGreeting')),
    agent: Type.Optional(AgentGreeting),
  },
  'FirstSpeakerSettings',
);
export type FirstSpeakerSettings = Static<typeof FirstSpeakerSettings>;

/** Spoken when nobody has said anything for `duration` after the message before it. */
export const TimedMessage = Closed(
  {
    duration: Duration,
    message: Words,
    endBehavior: Type.Optional(
      Type.Enum(['END_BEHAVIOR_UNSPECIFIED', 'END_BEHAVIOR_HANG_UP_SOFT', 'END_BEHAVIOR_HANG_UP_STRICT']),
    ),
  },
  'TimedMessage',
);
export type TimedMessage = Static<typeof TimedMessage>;

const WebSocketUrl = Pattern('^wss?://[^\\s]+$', 'must be a ws:// or wss:// URL', { maxLength: 2048 });

export const DataConnectionConfig = Closed(
  {
    websocketUrl: WebSocketUrl,
    audioConfig: Type.Optional(
      Closed(
        {
          sampleRate: Type.Optional(Type.Integer({ minimum: 8000, maximum: 48_000 })),
          channelMode: Type.Optional(
            Type.Enum(['CHANNEL_MODE_UNSPECIFIED', 'CHANNEL_MODE_MIXED', 'CHANNEL_MODE_SEPARATED']),
          ),
        },
        'DataConnectionAudioConfig',
      ),
    ),
    dataMessages: Type.Optional(DataMessageFlags),
    headers: Secret(
      Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 4096 }), { maxProperties: 50 })),
      ['websocketUrl'],
    ),
  },
  'DataConnectionConfig',
);
export type DataConnectionConfig = Static<typeof DataConnectionConfig>;

/** Signing keys of requests that the service makes: 16 to 127 characters each. */
export const SharedSecrets = Secret(
  Type.Array(Type.String({ minLength: 16, maxLength: 127 }), { maxItems: 10 }),
);

const Callback = Closed({ url: HttpUrl, secrets: Secret(Type.Optional(SharedSecrets), ['url']) }, 'Callback');

export const Callbacks = Closed(
  { joined: Type.Optional(Callback), ended: Type.Optional(Callback), billed: Type.Optional(Callback) },
  'Callbacks',
);
export type Callbacks = Static<typeof Callbacks>;

/** Sounds of our own that can play behind an agent's voice. */
export const BACKGROUND_CLIP_NAMES = ['comfort_noise', 'pink_noise', 'brown_noise'] as const;
export type BackgroundClipName = (typeof BACKGROUND_CLIP_NAMES)[number];

export const BackgroundAudio = Closed(
  {
    /** One of BACKGROUND_CLIP_NAMES, or the URL of a WAV file. */
    audioClip: Type.Optional(Type.String({ maxLength: 2048 })),
    volume: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  },
  'BackgroundAudio',
);

export const MediumRestriction = Closed(
  { allowedMediums: Type.Optional(Type.Array(MessageMediumEnum, { maxItems: 3 })) },
  'MediumRestriction',
);

/** Labels of a call. Keys that begin with `svc.` are reserved. */
export const Metadata = Type.Record(Type.String(), Type.String({ maxLength: 4096 }), { maxProperties: 100 });
