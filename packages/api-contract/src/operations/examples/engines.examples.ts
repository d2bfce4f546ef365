const unused = {
  health: 'unknown',
  lastSuccess: null,
  lastFailure: null,
  lastFailureCode: null,
};

export const engines = {
  mediaWorkers: 2,
  engines: [
    { role: 'speechToText', name: 'moonshine', kind: 'embedded', model: null, use: 'default', ...unused },
    {
      role: 'languageModel',
      name: 'OpenAI-compatible',
      kind: 'hosted',
      model: 'qwen3',
      use: 'default',
      health: 'ok',
      latencyMs: { p50: 240, p95: 610, count: 50 },
      lastSuccess: '2026-03-02T09:31:12.000Z',
      lastFailure: null,
      lastFailureCode: null,
    },
    { role: 'textToSpeech', name: 'flite', kind: 'embedded', model: null, use: 'default', ...unused },
    { role: 'textToSpeech', name: 'espeak-ng', kind: 'embedded', model: null, use: 'fallback', ...unused },
  ],
};
