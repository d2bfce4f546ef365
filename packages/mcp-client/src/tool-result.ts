import type { CallToolResult } from '@modelcontextprotocol/client';

/** The result of a tool. */
export interface McpToolResult {
  /** The texts of its content; its structured content as JSON if it has no texts. */
  text: string;
  isError: boolean;
  /** Its `_meta`. */
  meta: Readonly<Record<string, unknown>>;
}

type Content = CallToolResult['content'][number];

export function toolResult({ content, structuredContent, isError, _meta }: CallToolResult): McpToolResult {
  const texts = content.map(textOf).filter((text) => text !== '');
  const text =
    texts.length === 0 && structuredContent !== undefined
      ? JSON.stringify(structuredContent)
      : texts.join('\n');
  return { text, isError: isError === true, meta: _meta ?? {} };
}

/** Models get no images and audio: a note says what was there. */
function textOf(content: Content): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'resource':
      return 'text' in content.resource
        ? content.resource.text
        : `[${content.resource.mimeType ?? 'binary'} resource ${content.resource.uri}]`;
    case 'resource_link':
      return `${content.title ?? content.name}: ${content.uri}`;
    case 'image':
    case 'audio':
      return `[${content.type} ${content.mimeType}]`;
    default:
      return '';
  }
}
