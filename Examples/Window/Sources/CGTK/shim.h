// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Functions in place of GTK's macros, which Swift does not see.

#ifndef EXAMPLE_CGTK_SHIM_H
#define EXAMPLE_CGTK_SHIM_H

#include <gtk/gtk.h>

// Several of these programs may run at once, each with its own window.
static inline GtkApplication *example_application_new(const char *identifier) {
    return gtk_application_new(identifier, G_APPLICATION_NON_UNIQUE);
}

// Runs the application until its last window is closed. Calls `activate` with `data` when it is to show a window.
static inline int example_application_run(
    GtkApplication *application, void (*activate)(GtkApplication *, void *), void *data) {
    g_signal_connect(application, "activate", G_CALLBACK(activate), data);
    return g_application_run(G_APPLICATION(application), 0, NULL);
}

// Shows a window with one label, which is returned.
static inline GtkWidget *example_show_window(GtkApplication *application, const char *title) {
    GtkWidget *window = gtk_application_window_new(application);
    gtk_window_set_title(GTK_WINDOW(window), title);
    gtk_window_set_default_size(GTK_WINDOW(window), 320, 120);
    GtkWidget *label = gtk_label_new("");
    gtk_window_set_child(GTK_WINDOW(window), label);
    gtk_window_present(GTK_WINDOW(window));
    return label;
}

static inline void example_label_set_text(GtkWidget *label, const char *text) {
    gtk_label_set_text(GTK_LABEL(label), text);
}

static inline const char *example_label_text(GtkWidget *label) {
    return gtk_label_get_text(GTK_LABEL(label));
}

// Has the widget's window drawn, and then calls `painted` with `data`, after each drawing.
static inline void example_when_painted(
    GtkWidget *widget, void (*painted)(GdkFrameClock *, void *), void *data) {
    g_signal_connect(gtk_widget_get_frame_clock(widget), "after-paint", G_CALLBACK(painted), data);
    gtk_widget_queue_draw(widget);
}

static inline void example_close_window(GtkWidget *label) {
    gtk_window_destroy(GTK_WINDOW(gtk_widget_get_root(label)));
}

#endif
