/** Where a StageSpec has secrets; `*` stands for any key. */
export const STAGE_SECRETS: readonly string[] = [
  'voice.settings.apiKey',
  'voice.settings.headers.*',
  'tools.*.auth.headers.*',
  'tools.*.auth.queryParams.*',
];
