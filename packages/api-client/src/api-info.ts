import type { OpenApiInfo } from '@calls/api-contract/openapi/openapi-document';

/** The document as it is without a server. */
export const API_INFO: OpenApiInfo = {
  title: 'Calls',
  version: '0.1.0',
  description: 'Real-time voice calls between users and AI agents.',
  serverUrl: 'https://api.example.org',
};
