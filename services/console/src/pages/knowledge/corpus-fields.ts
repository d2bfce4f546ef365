import type { FormField } from '../../components/fields-form.tsx';

export const CORPUS_FIELDS: readonly FormField[] = [
  { name: 'name', label: 'Name', kind: 'text', placeholder: 'Handbook', required: true },
  {
    name: 'description',
    label: 'Description',
    description: 'A note for your team. Agents do not see it.',
    kind: 'longText',
  },
];

/** The fields of a crawl, and the name of its source. */
export const CRAWL_FIELDS: readonly FormField[] = [
  {
    name: 'startUrls',
    label: 'Start URLs',
    description: 'The crawl follows links to pages of the same origins.',
    kind: 'list',
    placeholder: 'https://example.com/help',
    required: true,
  },
  {
    name: 'maxDepth',
    label: 'Links to follow',
    description: '0: only the start URLs. Default: 3.',
    kind: 'number',
  },
  { name: 'maxDocuments', label: 'Maximum pages', description: 'Default: 100.', kind: 'number' },
  { name: 'name', label: 'Name', description: 'Leave empty to use the first URL.', kind: 'text' },
];
