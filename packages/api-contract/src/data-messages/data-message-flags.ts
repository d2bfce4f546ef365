import { Type, type Static } from 'typebox';

/** Which server messages a medium or data connection gets. Unset flags take the medium's defaults. */
export const DataMessageFlags = Type.Object(
  {
    pong: Type.Optional(Type.Boolean()),
    state: Type.Optional(Type.Boolean()),
    transcript: Type.Optional(Type.Boolean()),
    clientToolInvocation: Type.Optional(Type.Boolean()),
    dataConnectionToolInvocation: Type.Optional(Type.Boolean()),
    playbackClearBuffer: Type.Optional(Type.Boolean()),
    callStarted: Type.Optional(Type.Boolean()),
    debug: Type.Optional(Type.Boolean()),
    callEvent: Type.Optional(Type.Boolean()),
    toolUsed: Type.Optional(Type.Boolean()),
    userStartedSpeaking: Type.Optional(Type.Boolean()),
    userStoppedSpeaking: Type.Optional(Type.Boolean()),
    invokingTool: Type.Optional(Type.Boolean()),
  },
  { title: 'EnabledDataMessages', additionalProperties: false },
);
export type DataMessageFlags = Static<typeof DataMessageFlags>;
