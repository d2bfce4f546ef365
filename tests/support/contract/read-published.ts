import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { openApiDocument, type OpenApiDocument } from '@calls/api-contract/openapi/openapi-document';
import { operations } from '@calls/api-contract/operations';
import { ResponseChecker } from './response-checker.ts';

let checker: ResponseChecker | undefined;

export function publishedDocument(): OpenApiDocument {
  return openApiDocument(operations, {
    title: '',
    version: '',
    description: '',
    serverUrl: 'http://localhost',
  });
}

function judge(): ResponseChecker {
  return (checker ??= new ResponseChecker(publishedDocument()));
}

/** Reads a data message of the service. Throws if the OpenAPI document does not describe it. */
export function readServerMessage(text: string): ServerMessage {
  const message = JSON.parse(text) as ServerMessage;
  const issue = judge().messageIssue(message);
  if (issue !== null) throw new Error(`undocumented data message ${text}: ${issue}`);
  return message;
}

/** Throws if the OpenAPI document does not describe the body of the webhook request. */
export function checkWebhookBody(body: string): void {
  const issue = judge().webhookIssue(JSON.parse(body));
  if (issue !== null) throw new Error(`undocumented webhook request ${body}: ${issue}`);
}
