/* Folders of files that processes leave for one that reads them, and removes all. */
#ifndef OMP_EXT_REPORT_FILES_FOLDER_H
#define OMP_EXT_REPORT_FILES_FOLDER_H

/* Calls take(path, name, context) for each file in it. */
void keel_report_folder_each(const char *folder,
                             void (*take)(const char *path, const char *name, void *context),
                             void *context);

/* Removes the folder with all that is in it. */
void keel_report_folder_remove(const char *folder);

#endif
