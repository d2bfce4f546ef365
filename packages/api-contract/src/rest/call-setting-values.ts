import { described, marked, Pattern, Secret } from '@calls/foundation/schema/annotations';
import { CONVERSATION_TEXT_MARK, MAX_DURATION_MARK, TEMPLATED_MARK } from '@calls/foundation/schema/keywords';
import { Closed, HttpUrl, OneOf } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { DataMessageFlags } from '../data-messages/data-message-flags.ts';
import { Duration, durationToMs } from '../duration.ts';
import { MessageMediumEnum } from './enums.ts';

/** A non-negative duration of at most `max`. */
export function DurationUpTo(max: string, description: string) {
  return described(
    Type.With(Duration, { [MAX_DURATION_MARK]: durationToMs(max) }) as typeof Duration,
    `${description} At most ${max}.`,
  );
}

/** Defaults of voice activity detection. */
export const VAD_DEFAULTS = {
  turnEndpointDelay: '0.384s',
  minimumTurnDuration: '0s',
  minimumInterruptionDuration: '0.09s',
  frameActivationThreshold: 0.1,
};

export const VadSettings = Closed(
  {
    turnEndpointDelay: Type.Optional(
      DurationUpTo(
        '60s',
        'How long to wait after the user seems to be done before the agent responds, in steps of 32 ms.' +
          defaultsTo(VAD_DEFAULTS.turnEndpointDelay),
      ),
    ),
    minimumTurnDuration: Type.Optional(
      DurationUpTo(
        '60s',
        `How long the user must speak for it to count as a turn.${defaultsTo(VAD_DEFAULTS.minimumTurnDuration)}`,
      ),
    ),
    minimumInterruptionDuration: Type.Optional(
      DurationUpTo(
        '60s',
        'How long the user must speak to interrupt the agent. Ignored if it is less than `minimumTurnDuration`.' +
          defaultsTo(VAD_DEFAULTS.minimumInterruptionDuration),
      ),
    ),
    frameActivationThreshold: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 1,
        description: `Probability from which 32 ms of audio count as speech.${defaultsTo(VAD_DEFAULTS.frameActivationThreshold)}`,
      }),
    ),
  },
  'VadSettings',
  'How the speech of the user is detected and divided into turns.',
);
export type VadSettings = Static<typeof VadSettings>;

function defaultsTo(value: string | number): string {
  return ` Defaults to \`${value}\`.`;
}

/** A text that the agent speaks, or a prompt for one. */
export const SpokenText = Type.String({ maxLength: 65_536 });

/** How long the agent waits for the user to speak first before it uses its fallback greeting. */
export const DEFAULT_FALLBACK_DELAY = '10s';

const greeting = {
  text: Type.Optional(described(SpokenText, 'What the agent says, word for word.')),
  prompt: Type.Optional(described(SpokenText, 'Instructions from which the model generates the greeting.')),
};

export const AgentGreeting = Closed(
  {
    uninterruptible: Type.Optional(
      Type.Boolean({ description: 'Whether the user cannot interrupt the greeting. Defaults to `false`.' }),
    ),
    ...greeting,
    delay: Type.Optional(DurationUpTo('3600s', `How long to wait before the greeting.${defaultsTo('0s')}`)),
  },
  'AgentGreeting',
  'The greeting with which the agent opens the call.',
);

export const FallbackAgentGreeting = Closed(
  {
    delay: Type.Optional(
      DurationUpTo('3600s', `How long the user can stay silent.${defaultsTo(DEFAULT_FALLBACK_DELAY)}`),
    ),
    ...greeting,
  },
  'FallbackAgentGreeting',
  'The greeting that the agent uses if the user does not speak first.',
);

export const FirstSpeakerSettings = OneOf(
  {
    user: described(
      Type.Optional(
        Closed(
          {
            fallback: described(
              Type.Optional(FallbackAgentGreeting),
              'What the agent says if the user stays silent. If absent, the agent waits.',
            ),
          },
          'UserGreeting',
          'The agent waits for the user to speak.',
        ),
      ),
      'The user speaks first.',
    ),
    agent: described(Type.Optional(AgentGreeting), 'The agent speaks first.'),
  },
  'FirstSpeakerSettings',
  1,
  'Who speaks first. Exactly one field is set.',
);
export type FirstSpeakerSettings = Static<typeof FirstSpeakerSettings>;

export const TimedMessage = Closed(
  {
    duration: DurationUpTo(
      '3600s',
      'Silence after which the message is spoken, counted from the message before it or from the last speech.',
    ),
    message: described(
      marked(SpokenText, TEMPLATED_MARK, CONVERSATION_TEXT_MARK),
      'What the agent says, word for word.',
    ),
    endBehavior: Type.Optional(
      Type.Enum(['END_BEHAVIOR_UNSPECIFIED', 'END_BEHAVIOR_HANG_UP_SOFT', 'END_BEHAVIOR_HANG_UP_STRICT'], {
        description:
          'Whether the call ends after the message: `END_BEHAVIOR_HANG_UP_SOFT` unless the user responds, `END_BEHAVIOR_HANG_UP_STRICT` always.',
      }),
    ),
  },
  'TimedMessage',
  'What the agent says after a period of silence.',
);
export type TimedMessage = Static<typeof TimedMessage>;

/** Sample rate of the audio of a data connection that names none. */
export const DEFAULT_DATA_CONNECTION_RATE_HZ = 16_000;

const WebSocketUrl = Pattern('^wss?://[^\\s]+$', 'must be a ws:// or wss:// URL', {
  maxLength: 2048,
  description: 'URL that the service connects to, with the scheme `ws` or `wss`.',
});

export const DataConnectionConfig = Closed(
  {
    websocketUrl: WebSocketUrl,
    audioConfig: described(
      Type.Optional(
        Closed(
          {
            sampleRate: Type.Optional(
              Type.Integer({
                minimum: 8000,
                maximum: 48_000,
                description: `Sample rate in Hz.${defaultsTo(DEFAULT_DATA_CONNECTION_RATE_HZ)}`,
              }),
            ),
            channelMode: Type.Optional(
              Type.Enum(['CHANNEL_MODE_UNSPECIFIED', 'CHANNEL_MODE_MIXED', 'CHANNEL_MODE_SEPARATED'], {
                description:
                  'Whether user and agent share one channel (`CHANNEL_MODE_MIXED`, the default) or have one each.',
              }),
            ),
          },
          'DataConnectionAudioConfig',
          'Format of the audio of a data connection.',
        ),
      ),
      'Format of the audio that is sent. If absent, no audio is sent.',
    ),
    dataMessages: described(Type.Optional(DataMessageFlags), 'Which data messages are sent.'),
    headers: Secret(
      Type.Optional(
        Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
          maxProperties: 50,
          description: 'Headers of the request that opens the connection. Write-only.',
        }),
      ),
      ['websocketUrl'],
    ),
  },
  'DataConnectionConfig',
  'A WebSocket of the customer to which the call sends data messages and audio.',
);
export type DataConnectionConfig = Static<typeof DataConnectionConfig>;

export const SharedSecrets = Secret(
  Type.Array(Type.String({ minLength: 16, maxLength: 127 }), { maxItems: 10 }),
);

const Callback = Closed(
  {
    url: described(HttpUrl, 'URL that receives the event in a POST request.'),
    secrets: described(
      Secret(Type.Optional(SharedSecrets), ['url']),
      'Secrets that sign the requests. Defaults to `sharedSecrets`. Write-only.',
    ),
  },
  'Callback',
  'A URL that receives one event of a call.',
);

export const Callbacks = Closed(
  {
    joined: described(Type.Optional(Callback), 'Called when a client joined the call.'),
    ended: described(Type.Optional(Callback), 'Called when the call ended.'),
    billed: described(Type.Optional(Callback), 'Called when the call was billed.'),
  },
  'Callbacks',
  'URLs that receive the events of one call.',
);
export type Callbacks = Static<typeof Callbacks>;

/** Background sounds that are part of the service. */
export const BACKGROUND_CLIP_NAMES = ['comfort_noise', 'pink_noise', 'brown_noise'] as const;
export type BackgroundClipName = (typeof BACKGROUND_CLIP_NAMES)[number];

export const DEFAULT_BACKGROUND_VOLUME = 0.5;

export const BackgroundAudio = Closed(
  {
    audioClip: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: `URL of a WAV file, or one of ${BACKGROUND_CLIP_NAMES.map((name) => `\`${name}\``).join(', ')}.`,
      }),
    ),
    volume: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: `Volume from 0 (silent) to 1.${defaultsTo(DEFAULT_BACKGROUND_VOLUME)}`,
      }),
    ),
  },
  'BackgroundAudio',
  'A sound that plays behind the voice of the agent.',
);

export const MediumRestriction = Closed(
  {
    allowedMediums: Type.Optional(
      Type.Array(MessageMediumEnum, {
        maxItems: 3,
        description: 'Mediums that the user and the agent may use. If empty, all are allowed.',
      }),
    ),
  },
  'MediumRestriction',
  'Restricts a call to voice or to text.',
);

export const MenuAction = Type.Enum(['continue', 'hang_up']);
export const MachineAction = Type.Enum([...MenuAction.enum, 'leave_message']);
/** When a phone menu is on the line. */
export const IvrMode = Type.Enum(['detect', 'on', 'off']);

export const AnsweringMachineDetection = Closed(
  {
    onMachine: Type.Optional(
      described(
        MachineAction,
        `What the agent does when a machine answered. \`leave_message\` speaks after the beep.${defaultsTo('continue')}`,
      ),
    ),
    message: Type.Optional(
      described(
        marked(SpokenText, TEMPLATED_MARK, CONVERSATION_TEXT_MARK),
        'What the agent says after the beep, word for word. Required by `leave_message`.',
      ),
    ),
    onIvr: Type.Optional(
      described(MenuAction, `What the agent does when a phone menu answered.${defaultsTo('continue')}`),
    ),
    onScreening: Type.Optional(
      described(
        MenuAction,
        `What the agent does when an assistant asks who is calling.${defaultsTo('continue')}`,
      ),
    ),
  },
  'AnsweringMachineDetection',
  'Detects what answered an outgoing call, while the agent speaks.',
);
export type AnsweringMachineDetection = Static<typeof AnsweringMachineDetection>;

export const IVR_NAVIGATION_DEFAULTS = {
  mode: 'detect',
  promptPause: '2s',
  silenceLimit: '15s',
} as const;

/** With a shorter limit, the agent would be prompted constantly. */
export const MIN_IVR_SILENCE_LIMIT_MS = 1000;

export const IvrNavigation = Closed(
  {
    mode: Type.Optional(
      described(
        IvrMode,
        'When a phone menu is on the line: `detect` by its words, `on` from the beginning, `off` only after the tool ' +
          `\`waitForPrompt\`.${defaultsTo(IVR_NAVIGATION_DEFAULTS.mode)}`,
      ),
    ),
    promptPause: Type.Optional(
      DurationUpTo(
        '10s',
        'Silence after which a prompt of the menu is over, if it is longer than `turnEndpointDelay`.' +
          defaultsTo(IVR_NAVIGATION_DEFAULTS.promptPause),
      ),
    ),
    options: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        maxItems: 20,
        description:
          'Known menu options, such as `billing`. When the menu says one, the agent acts at the next pause, before the prompt is over.',
      }),
    ),
    silenceLimit: Type.Optional(
      DurationUpTo(
        '600s',
        'Silence of a menu after which the agent gets a turn, three times at most. Less than 1s counts as 1s.' +
          defaultsTo(IVR_NAVIGATION_DEFAULTS.silenceLimit),
      ),
    ),
  },
  'IvrNavigation',
  'How the agent uses phone menus: it waits for the end of a prompt before it presses keys or speaks.',
);
export type IvrNavigation = Static<typeof IvrNavigation>;

/** Keys of `metadata` with this prefix are reserved. */
export const RESERVED_METADATA_PREFIX = 'svc.';

export const Metadata = Type.Record(Type.String(), Type.String({ maxLength: 4096 }), { maxProperties: 100 });
