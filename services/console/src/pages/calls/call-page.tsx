import { Page } from '../../components/page.tsx';

export function Component() {
  return <Page title="Call">Being built.</Page>;
}
