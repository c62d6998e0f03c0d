;;; steersman.el --- A coding agent that lives in a language server  -*- lexical-binding: t; -*-

;; Copyright (C) 2025 The Steersman authors
;; SPDX-License-Identifier: Apache-2.0

;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: tools, languages, convenience

;;; Commentary:

;; M-x steersman takes a task for the project at hand, M-x steersman-region one about the region.  The work is shown in
;; a conversation buffer, each change is asked about before it is made, and M-x undo takes an edit of a buffer back.
;; See README.md beside this file.

;;; Code:

(require 'cl-lib)
(require 'tabulated-list)
(require 'steersman-connection)
(require 'steersman-documents)
(require 'steersman-question)
(require 'steersman-conversation)
(require 'steersman-rewind)

(defvar steersman-history nil "The tasks given so far.")

(defvar steersman-chosen-mode nil
  "How much may be done without asking, for the next tasks; nil: as configured.
Values that a project sets, in .dir-locals.el for instance, have no effect.")
(put 'steersman-chosen-mode 'risky-local-variable t)

(defconst steersman--modes '("plan" "ask" "accept-edits" "auto")
  "The modes, strictest first.")

;;; Tasks

;;;###autoload
(defun steersman (task &optional continue)
  "Have Steersman do TASK in the current project.
With an active region it is about that text.  In a conversation buffer
it goes on there; with a prefix argument, CONTINUE, it goes on with the
project's latest conversation."
  (interactive (list (steersman--read-task (if (use-region-p) "Steersman, about the region: " "Steersman: "))
                     current-prefix-arg))
  (cond ((derived-mode-p 'steersman-conversation-mode) (steersman-reply task))
        ((use-region-p) (steersman-region (region-beginning) (region-end) task continue))
        (t (steersman--start task (steersman-documents-context) (and continue '(:continue t))))))

;;;###autoload
(defun steersman-region (beg end task &optional continue)
  "Have Steersman do TASK, which is about the text from BEG to END.
With a prefix argument, CONTINUE, go on with the latest conversation."
  (interactive (list (region-beginning) (region-end)
                     (steersman--read-task "Steersman, about the region: ") current-prefix-arg))
  (let ((context (or (steersman-documents-context beg end)
                     (user-error "This buffer has no file; its text cannot be named"))))
    (deactivate-mark)
    (steersman--start task context (and continue '(:continue t)))))

(defun steersman-reply (text)
  "Say TEXT in this conversation: to the run at work, or as the next task."
  (interactive (list (steersman--read-task "Steersman: ")) steersman-conversation-mode)
  (let ((session steersman-conversation-session)
        (connection (steersman--living-connection)))
    (if (not steersman-conversation-running)
        (steersman--start text nil (list :sessionId session) connection)
      (steersman-connection-call
       connection "steersman.steer" (list :sessionId session :text text)
       (lambda (_) (message "Steersman will hear of it before its next turn"))
       (lambda (words kind)
         (if (equal kind "no_active_run") ; it has just ended
             (steersman--start text nil (list :sessionId session) connection)
           (steersman-connection-report words)))))))

(defun steersman--read-task (prompt)
  "Ask for a task with PROMPT."
  (let ((task (read-string prompt nil 'steersman-history)))
    (if (string-blank-p task) (user-error "Nothing to do") task)))

(defun steersman--start (task context more &optional connection)
  "Start TASK with CONTEXT and MORE of the command's fields, on CONNECTION."
  (let ((connection (or connection (steersman-connection-here t))))
    (steersman-connection-call
     connection "steersman.start"
     (append (list :prompt task)
             (and context (list :context context))
             (when-let* ((mode (default-value 'steersman-chosen-mode))) (list :mode mode))
             more)
     (lambda (started)
       (display-buffer (steersman-conversation-get connection (plist-get started :sessionId))))
     (lambda (text kind)
       (if (and (equal kind "session_locked") (not (plist-get more :takeOver)))
           (steersman--offer-to-take-over
            text (lambda () (steersman--start task context (append '(:takeOver t) more) connection)))
         (steersman-connection-report text))))))

(defun steersman--offer-to-take-over (text start)
  "Ask whether to START although another program has the session.
TEXT names that program; it writes nothing more in the session then."
  (steersman-rewind--aside
   (lambda ()
     (if (yes-or-no-p (concat text "  Take it over? "))
         (funcall start)
       (message "Steersman: not started; the task is in the history")))))

(defun steersman--living-connection ()
  "Return this conversation's connection, or a new one where that has ended."
  (if (memq steersman-conversation-connection (steersman-connections))
      steersman-conversation-connection
    (setq steersman-conversation-connection (steersman-connection-here t))))

;;;###autoload
(defun steersman-stop ()
  "Stop this conversation's run; elsewhere, everything in this project."
  (interactive)
  (let ((connection (or (steersman-connection-here) (user-error "Steersman is not at work here"))))
    (steersman-connection-call
     connection "steersman.cancel"
     (and (derived-mode-p 'steersman-conversation-mode) (list :sessionId steersman-conversation-session))
     (lambda (result)
       (when (seq-empty-p (plist-get result :cancelled))
         (message "Steersman: there was nothing to stop"))))))

(defun steersman-set-mode (mode)
  "Set MODE: how much Steersman may do without asking, from now on.
What is at work in this project obeys with its next call."
  (interactive (list (completing-read "Mode: " steersman--modes nil t)))
  (setq-default steersman-chosen-mode mode)
  (when-let* ((connection (steersman-connection-here)))
    (steersman-connection-call connection "steersman.setMode" (list :mode mode)
                               (lambda (_) (message "Steersman: %s" mode)))))

(defun steersman-shutdown ()
  "End this project's server; what is at work is stopped."
  (interactive)
  (steersman-connection-close (or (steersman-connection-here) (user-error "Steersman is not at work here"))))

;;; What is going on

(cl-defmethod steersman-handle-notification (connection (_method (eql steersman/event)) params)
  "Show the event in PARAMS, which came over CONNECTION."
  (let* ((event (plist-get params :event))
         (type (intern (plist-get event :type)))
         (session (plist-get params :sessionId))
         (known (steersman-conversation-find session)))
    (with-current-buffer (steersman-conversation-get connection session)
      (if (or known (eq type 'run_started))
          (steersman-conversation-take type event)
        (steersman--catch-up connection session (not (eq type 'run_ended)))))))

(defun steersman--catch-up (connection session running)
  "Show SESSION of CONNECTION, whose buffer was killed, from its beginning.
RUNNING says whether a run is at work there."
  (setq steersman-conversation-running running)
  (steersman-connection-call
   connection "steersman.sessions.get" (list :sessionId session)
   (lambda (result)
     (when-let* ((buffer (steersman-conversation-find session)))
       (with-current-buffer buffer
         (steersman-conversation-show-history (plist-get result :messages)))))))

(defvar steersman--activities nil
  "Alist from progress tokens to what is being done, in a few words.")

(defvar steersman-mode-line
  '(steersman--activities (:eval (steersman--mode-line)))
  "What the mode line says of Steersman.")
(put 'steersman-mode-line 'risky-local-variable t)

(add-to-list 'mode-line-misc-info 'steersman-mode-line t)

(defun steersman--mode-line ()
  "Return the mode line's text: a question first, else what is being done."
  (let ((question (car steersman-question--open)))
    (string-replace
     "%" "%%"
     (propertize
      (if (buffer-live-p question)
          (format " [Steersman? %s]" (steersman-question--title (buffer-local-value 'steersman-question--params question)))
        (format " [Steersman: %s]" (steersman-connection-title (cdar steersman--activities))))
      'face 'mode-line-emphasis))))

(defun steersman--set-activity (key words)
  "Say that KEY is at WORDS, nil when it has ended."
  (setf (alist-get key steersman--activities nil t #'equal) words)
  (force-mode-line-update t))

(cl-defmethod steersman-handle-request (_connection (_method (eql window/workDoneProgress/create)) _params)
  "Let progress come."
  nil)

(cl-defmethod steersman-handle-notification (_connection (_method (eql $/progress)) params)
  "Show the progress in PARAMS in the mode line."
  (let ((value (plist-get params :value)))
    (steersman--set-activity (plist-get params :token)
                             (unless (equal (plist-get value :kind) "end")
                               (or (plist-get value :message) "at work")))))

(cl-defmethod steersman-handle-notification (_connection (_method (eql window/showMessage)) params)
  "Show the message in PARAMS."
  (message "%s" (plist-get params :message)))

(cl-defmethod steersman-handle-request (_connection (_method (eql window/showMessageRequest)) params)
  "Show the message in PARAMS, and choose nothing: questions come otherwise."
  (message "%s" (plist-get params :message))
  nil)

(defun steersman--closed (connection)
  "Show that CONNECTION has ended, and whatever was at work there."
  (setq steersman--activities nil)
  (force-mode-line-update t)
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and (eq connection steersman-conversation-connection) steersman-conversation-running)
        (steersman-conversation-take
         'run_ended '(:error (:message "The server has ended. What was recorded is kept; reply to go on.")))))))

(add-hook 'steersman-connection-closed-functions #'steersman--closed)

;;; Earlier conversations

(defvar-local steersman--connection nil "The connection whose conversations are listed here.")

(defvar-keymap steersman-sessions-mode-map
  :doc "Keys in the list of conversations."
  :parent tabulated-list-mode-map
  "RET" #'steersman-sessions-open
  "d" #'steersman-sessions-delete
  "g" #'steersman-sessions-refresh)

(define-derived-mode steersman-sessions-mode tabulated-list-mode "Steersman sessions"
  "Major mode for the list of conversations.
\\{steersman-sessions-mode-map}"
  (setq tabulated-list-format [("Updated" 17 t) ("Messages" 9 nil) ("Title" 0 nil)]
        tabulated-list-padding 1)
  (tabulated-list-init-header))

;;;###autoload
(defun steersman-sessions ()
  "List this project's conversations; RET opens one, to read or to go on."
  (interactive)
  (let ((connection (steersman-connection-here t)))
    (with-current-buffer (get-buffer-create "*Steersman sessions*")
      (steersman-sessions-mode)
      (setq steersman--connection connection
            default-directory (steersman-connection-root connection))
      (steersman-sessions-refresh)
      (pop-to-buffer (current-buffer)))))

(defun steersman--listed-connection ()
  "Return the connection of this list, or a new one where that has ended."
  (unless (memq steersman--connection (steersman-connections))
    (setq steersman--connection (steersman-connection-here t)))
  steersman--connection)

(defun steersman-sessions-refresh ()
  "Ask for the list again."
  (interactive nil steersman-sessions-mode)
  (let ((buffer (current-buffer)))
    (steersman-connection-call
     (steersman--listed-connection) "steersman.sessions.list" '(:limit 200)
     (lambda (result)
       (when (buffer-live-p buffer)
         (with-current-buffer buffer
           (setq tabulated-list-entries (mapcar #'steersman--entry (plist-get result :sessions)))
           (tabulated-list-print t)))))))

(defun steersman--entry (session)
  "Return the line for SESSION."
  (list (plist-get session :id)
        (vector (format-time-string "%F %R" (date-to-time (plist-get session :updatedAt)))
                (number-to-string (plist-get session :messages))
                (concat (steersman-connection-title (plist-get session :title)) (if (eq t (plist-get session :running)) "  (at work)" "")))))

(defun steersman-sessions-open ()
  "Open the conversation at point."
  (interactive nil steersman-sessions-mode)
  (let ((session (or (tabulated-list-get-id) (user-error "No conversation here")))
        (connection (steersman--listed-connection)))
    (if-let* ((buffer (steersman-conversation-find session)))
        (pop-to-buffer buffer)
      (steersman-connection-call
       connection "steersman.sessions.get" (list :sessionId session)
       (lambda (result)
         (with-current-buffer (steersman-conversation-get connection session)
           (unless steersman-conversation-running
             (steersman-conversation-show-history (plist-get result :messages)))
           (pop-to-buffer (current-buffer))))))))

(defun steersman-sessions-delete ()
  "Delete the conversation at point, for good."
  (interactive nil steersman-sessions-mode)
  (let ((session (or (tabulated-list-get-id) (user-error "No conversation here")))
        (buffer (current-buffer)))
    (when (yes-or-no-p "Delete this conversation for good? ")
      (steersman-connection-call
       (steersman--listed-connection) "steersman.sessions.delete" (list :sessionId session)
       (lambda (_) (when (buffer-live-p buffer)
                     (with-current-buffer buffer (steersman-sessions-refresh))))))))

(provide 'steersman)

;;; steersman.el ends here
