// Every English word of changing and deleting activities.

export const editTexts = {
  edit: 'Edit',
  field: 'Edit the words',
  save: 'Save',
  cancel: 'Cancel',
  remove: 'Delete',
  ask: 'Delete this activity?',
  askHint: 'It disappears for everybody, with its reactions and comments. This cannot be undone.',
  removed: 'Deleted.',
} as const
