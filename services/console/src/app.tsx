import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { RouterProvider } from 'react-router/dom';
import { LucideProvider } from 'lucide-react';
import { createQueries } from './api/queries.ts';
import { createRouter } from './routes.tsx';
import { cssVariables, theme } from './theme/theme.ts';

export function App() {
  const [queries] = useState(createQueries);
  const [router] = useState(createRouter);
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <LucideProvider size={18} strokeWidth={1.75}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </LucideProvider>
    </MantineProvider>
  );
}
