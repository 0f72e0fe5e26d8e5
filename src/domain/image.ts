import { z } from 'zod';

/** What `carrel image build` made. */
export const ImageReportSchema = z
  .object({
    image: z.string().describe('its name with a tag that stands for what is in it'),
    engine: z.enum(['podman', 'docker']),
    from: z
      .enum(['machine', 'dockerfile'])
      .describe("this machine's own programs, or the repository's .carrel/Dockerfile"),
    isNew: z.boolean().describe('false when it was there already'),
    bytes: z.int(),
  })
  .meta({ id: 'image', title: 'An image for containers' });
export type ImageReport = z.infer<typeof ImageReportSchema>;
