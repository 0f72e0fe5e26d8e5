/** Where the dashboard's files are: beside the bundle. */
export const dashboardDirectory = (): URL => new URL('./dashboard/', import.meta.url);
