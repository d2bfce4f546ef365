import { Type, type Static } from 'typebox';

export const DataMessageFlags = Type.Object(
  {
    pong: Type.Optional(Type.Boolean({ description: 'Responses to `ping`.' })),
    state: Type.Optional(
      Type.Boolean({ description: "Changes of the agent's state: listening, thinking or speaking." }),
    ),
    transcript: Type.Optional(Type.Boolean({ description: 'What the user and the agent say, as text.' })),
    clientToolInvocation: Type.Optional(Type.Boolean({ description: 'Requests to run a client tool.' })),
    dataConnectionToolInvocation: Type.Optional(
      Type.Boolean({ description: 'Requests to run a data-connection tool.' }),
    ),
    playbackClearBuffer: Type.Optional(
      Type.Boolean({ description: 'Requests to drop audio that was sent but not played yet.' }),
    ),
    callStarted: Type.Optional(Type.Boolean({ description: 'The start of the call.' })),
    debug: Type.Optional(Type.Boolean({ description: 'Messages for debugging.' })),
    callEvent: Type.Optional(
      Type.Boolean({ description: 'Call events, as `GET /api/calls/{call_id}/events` lists them.' }),
    ),
    toolUsed: Type.Optional(Type.Boolean({ description: 'Tools that ran, with their results.' })),
    userStartedSpeaking: Type.Optional(Type.Boolean({ description: "The start of the user's speech." })),
    userStoppedSpeaking: Type.Optional(Type.Boolean({ description: "The end of the user's speech." })),
    interimTranscript: Type.Optional(
      Type.Boolean({ description: 'What the user has said so far, before it becomes a message.' }),
    ),
    invokingTool: Type.Optional(Type.Boolean({ description: 'Tools that begin to run.' })),
  },
  {
    title: 'EnabledDataMessages',
    description: 'Which data messages are sent. Flags that are absent have the defaults of the medium.',
    additionalProperties: false,
  },
);
export type DataMessageFlags = Static<typeof DataMessageFlags>;
