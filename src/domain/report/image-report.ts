import { z } from 'zod';

/** The output of `carrel image build`. */
export const ImageReportSchema = z
  .object({
    image: z.string().describe('its name, with a tag derived from its content'),
    engine: z.enum(['podman', 'docker']),
    from: z
      .enum(['machine', 'dockerfile'])
      .describe("this machine's own programs, or the repository's .carrel/Dockerfile"),
    isNew: z.boolean().describe('false when it already existed'),
    bytes: z.int(),
  })
  .meta({ id: 'image', title: 'An image for containers' });
export type ImageReport = z.infer<typeof ImageReportSchema>;
