import type { OpenApiInfo } from '@calls/api-contract/openapi/openapi-document';

/** Info of the document without a server. */
export const API_INFO: OpenApiInfo = {
  title: 'Calls',
  version: '0.1.0',
  description: 'Real-time voice calls between users and AI agents.',
  serverUrl: 'https://api.example.org',
};
