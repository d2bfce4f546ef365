/** Tools that the service itself runs. */
export const BUILT_IN_TOOL_NAMES = [
  'hangUp',
  'queryCorpus',
  'playDtmfSounds',
  'waitForPrompt',
  'leaveVoicemail',
  'coldTransfer',
  'warmTransfer',
] as const;
export type BuiltInToolName = (typeof BUILT_IN_TOOL_NAMES)[number];
