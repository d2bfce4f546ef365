import { Closed, DateTime, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';

export const DEFAULT_SUPERVISOR_RATE_HZ = 16_000;
/** Each mode allows what those before it allow. */
export const SUPERVISION_MODES = ['listen', 'whisper', 'barge'] as const;
export type SupervisionMode = (typeof SUPERVISION_MODES)[number];
export const MAX_SUPERVISOR_NAME_LENGTH = 100;

const Mode = Type.Enum([...SUPERVISION_MODES], {
  description:
    'What the supervisor may do. `listen`: hear the call; `whisper`: also send instructions to the agent; `barge`: also speak to the user in place of the agent.',
});
const ChannelMode = Type.Enum(['CHANNEL_MODE_MIXED', 'CHANNEL_MODE_SEPARATED'], {
  default: 'CHANNEL_MODE_MIXED',
  description:
    'Whether the supervisor receives user and agent in one channel, or in two: the user left, the agent right.',
});
const SampleRate = Type.Integer({
  minimum: 8000,
  maximum: 48_000,
  default: DEFAULT_SUPERVISOR_RATE_HZ,
  description: 'Sample rate in Hz of the audio in both directions.',
});

/** Body of `POST /api/calls/{call_id}/supervise`. */
export const SuperviseCallRequest = Closed(
  {
    mode: Mode,
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_SUPERVISOR_NAME_LENGTH,
        description: 'Name of the supervisor for the events of the call.',
      }),
    ),
    sampleRate: Type.Optional(SampleRate),
    channelMode: Type.Optional(ChannelMode),
  },
  'SuperviseCallRequest',
  'How a supervisor connects to a live call.',
);
export type SuperviseCallRequest = Static<typeof SuperviseCallRequest>;

export const CallSupervision = Closed(
  {
    supervisorId: Type.Unsafe<string>({
      ...Uuid,
      description: 'Id of the supervisor in the events of the call.',
    }),
    mode: Mode,
    sampleRate: SampleRate,
    channelMode: ChannelMode,
    superviseUrl: Type.String({
      description: 'WebSocket URL for the supervisor. It contains a token; treat it as a secret.',
    }),
    expires: Type.Unsafe<string>({
      ...DateTime,
      description: 'Until when the URL can be opened. An open connection is not affected.',
    }),
  },
  'CallSupervision',
  'Access of one supervisor to a live call.',
);
export type CallSupervision = Static<typeof CallSupervision>;
