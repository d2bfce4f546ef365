/** Rules of Redocly's recommended set that are off, each with the reason. */
export const redoclyRules = {
  // `/api/schema/` is the address that existing clients use.
  'no-path-trailing-slash': 'off',
  // `sip_logs` only redirects.
  'operation-2xx-response': 'off',
  // A value of any type that may be null is written as a union with null.
  'no-illogical-composition-keywords': 'off',
} as const;

/** Rules of Spectral's recommended set that are off, each with the reason. */
export const spectralRules = {
  // `/api/schema/` is the address that existing clients use.
  'path-keys-no-trailing-slash': 'off',
  // Knows OpenAPI 3.0 only: since 3.1, API keys may have scopes. Redocly checks that schemes are defined.
  'oas3-operation-security-defined': 'off',
} as const;
